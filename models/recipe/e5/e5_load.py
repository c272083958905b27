import numpy as np, struct

QK = 32


def parse(path):
    b = np.memmap(path, dtype=np.uint8, mode="r")
    raw = bytes(b)
    p = 4
    (ver,) = struct.unpack_from("<I", raw, p)
    p += 4
    H, NL, NH, FF, VOC, MAXP, TVS = struct.unpack_from("<7i", raw, p)
    p += 28
    (eps,) = struct.unpack_from("<f", raw, p)
    p += 4
    (qk,) = struct.unpack_from("<i", raw, p)
    p += 4
    n, bos, eos, pad, unk = struct.unpack_from("<5i", raw, p)
    p += 20
    (bl,) = struct.unpack_from("<Q", raw, p)
    p += 8
    offs = np.frombuffer(raw, "<u4", n + 1, p)
    p += 4 * (n + 1)
    sc = np.frombuffer(raw, "<f4", n, p)
    p += 4 * n
    blob = raw[p : p + bl]
    p += bl
    nn, nb = struct.unpack_from("<iI", raw, p)
    p += 8
    q = p
    norm = {}
    for _ in range(nn):
        cp, no = struct.unpack_from("<IB", raw, q)
        q += 5
        norm[cp] = struct.unpack_from("<%dI" % no, raw, q)
        q += 4 * no
    p += nb
    (nd,) = struct.unpack_from("<i", raw, p)
    p += 4
    T = {}
    for _ in range(nd):
        (nl,) = struct.unpack_from("<H", raw, p)
        p += 2
        name = raw[p : p + nl].decode()
        p += nl
        dt = raw[p]
        p += 1
        cnt, off, nby = struct.unpack_from("<IQQ", raw, p)
        p += 20
        T[name] = (dt, cnt, off, nby)
    pieces = [blob[offs[i] : offs[i + 1]] for i in range(n)]
    cfg = dict(
        ver=ver,
        H=H,
        NL=NL,
        NH=NH,
        FF=FF,
        VOC=VOC,
        MAXP=MAXP,
        TVS=TVS,
        eps=eps,
        qk=qk,
        n_pieces=n,
        bos=bos,
        eos=eos,
        pad=pad,
        unk=unk,
    )
    return raw, cfg, pieces, sc, norm, T


def deq(raw, off, nby):
    a = np.frombuffer(raw, np.uint8, nby, off).reshape(-1, 18)
    d = a[:, :2].copy().view("<f2").astype(np.float32)
    qs = a[:, 2:]
    w = np.concatenate([(qs & 15), (qs >> 4)], 1).astype(np.float32) - 8
    return (w * d).reshape(-1)


if __name__ == "__main__":
    import sys

    raw, cfg, pieces, sc, norm, T = parse(sys.argv[1])
    print(cfg)
    print(len(norm))
    print({k: v for k, v in list(T.items())[:24]})
    print([x.decode() for x in pieces[:12]], [x.decode() for x in pieces[-5:]], sc[:8])
