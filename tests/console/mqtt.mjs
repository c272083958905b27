// As much of MQTT 3.1.1 as a lamp needs: it hears what it is told, and tells how it is.

import { connect } from 'node:net';

const text = (one) => {
  const bytes = Buffer.from(one);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
};

function packet(head, ...parts) {
  const body = Buffer.concat(parts);
  const length = [];
  for (let rest = body.length; length.length === 0 || rest > 0; rest >>= 7) length.push((rest & 127) | (rest > 127 ? 128 : 0));
  return Buffer.concat([Buffer.from([head, ...length]), body]);
}

// The first packet of what was read, and what is behind it; `null` while it is not whole.
function split(read) {
  let [length, at, shift] = [0, 1, 0];
  do {
    if (at >= read.length) return null;
    length |= (read[at] & 127) << shift;
    shift += 7;
    at += 1;
  } while (read[at - 1] & 128);
  return read.length < at + length ? null : { head: read[0], body: read.subarray(at, at + length), rest: read.subarray(at + length) };
}

/** Listens to a topic, and tells states as lamps do, to be kept by the broker; `heard` gets each topic and payload. */
export function lamp(port, filter, heard) {
  const socket = connect(port, '127.0.0.1', () => socket.write(packet(0x10, text('MQTT'), Buffer.from([4, 2, 0, 0]), text('the-lamps'))));
  const publish = (topic, payload) => socket.write(packet(0x31, text(topic), Buffer.from(payload)));
  let read = Buffer.alloc(0);
  return new Promise((done, failed) => {
    socket.once('error', failed);
    socket.on('data', (bytes) => {
      read = Buffer.concat([read, bytes]);
      for (let one = split(read); one; one = split(read)) {
        read = one.rest;
        const kind = one.head >> 4;
        if (kind === 2) socket.write(packet(0x82, Buffer.from([0, 1]), text(filter), Buffer.from([0])));
        if (kind === 9) done({ publish, close: () => socket.destroy() });
        if (kind !== 3) continue;
        const length = one.body.readUInt16BE(0);
        heard(one.body.subarray(2, 2 + length).toString(), one.body.subarray(2 + length).toString(), publish);
      }
    });
  });
}
