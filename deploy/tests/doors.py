"""Speaks to the doors of a daemon that has the villa, with the protocols' own libraries: doors.py HTTP_PORT WYOMING_PORT"""

import asyncio
import json
import sys
import time
import urllib.error
import urllib.request

import httpx2
import mcp_types as types
import websockets
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from wyoming.asr import Transcript
from wyoming.client import AsyncTcpClient
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from zeroconf import ServiceBrowser, Zeroconf

HTTP, WYOMING = int(sys.argv[1]), int(sys.argv[2])
BASE = f"http://127.0.0.1:{HTTP}"
TOKEN = {"Authorization": "Bearer a-token-of-the-trial"}


def post(path, body, headers=TOKEN):
    data = json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=20) as response:
        return json.load(response)


def wait_until_open():
    """The daemon is there, and so is its broker."""
    while True:
        try:
            request = urllib.request.Request(BASE + "/metrics", headers=TOKEN)
            if b"zhiju_broker_connected 1" in urllib.request.urlopen(request, timeout=20).read():
                return
        except urllib.error.URLError:
            pass
        time.sleep(0.1)


def http():
    done = post("/v1/ask", {"text": "打开书房吸顶灯"})
    assert [instruct["id"] for instruct in done["instructs"]] == ["cct-05"], done
    asked = post("/api/conversation/process", {"text": "打开大门锁", "language": "zh"})
    assert asked["continue_conversation"] and "大门锁" in asked["response"]["speech"]["plain"]["speech"], asked
    off = post("/api/conversation/process", {"text": "算了", "conversation_id": asked["conversation_id"]})
    assert off["response"]["data"]["success"] == [], off
    try:
        post("/v1/ask", {"text": "打开书房吸顶灯"}, {})
        raise AssertionError("without a token")
    except urllib.error.HTTPError as error:
        assert error.code == 401


async def pipe():
    url = f"ws://127.0.0.1:{HTTP}/agent/smarthome-gpt/llm/stream"
    async with websockets.connect(url, additional_headers=TOKEN) as socket:
        for question, ids in [("打开大门锁", []), ("确认", ["lock-01"])]:
            payload = {"page_id": "p", "question": question}
            await socket.send(json.dumps({"topic": "llm/smarthome", "rid": question, "payload": payload}))
            while not (frame := json.loads(await socket.recv()))["payload"]["finish"]:
                pass
            active = frame["payload"]["data"]["active"]
            assert [instruct["id"] for instruct in active["instructs"]] == ids, frame


async def wyoming():
    started = time.monotonic()
    async with AsyncTcpClient("127.0.0.1", WYOMING) as client:
        await client.write_event(Describe().event())
        info = Info.from_event(await client.read_event())
    # As long as a pipeline waits.
    assert time.monotonic() - started < 1
    assert info.handle[0].installed and "zh-CN" in info.handle[0].models[0].languages
    for text, kind in [("打开书房吸顶灯", Handled), ("关掉它", Handled), ("今天天气怎么样", NotHandled)]:
        async with AsyncTcpClient("127.0.0.1", WYOMING) as client:
            transcript = Transcript(text=text, language="zh-CN", context={"conversation_id": "c"})
            await client.write_event(transcript.event())
            event = await client.read_event()
            assert kind.is_type(event.type), (text, event)


def mdns():
    """As Home Assistant finds it: by its own resolver."""
    found = []
    resolver = Zeroconf()

    def heard(zeroconf, service_type, name, state_change):
        if info := zeroconf.get_service_info(service_type, name, 3000):
            found.append((info.port, info.parsed_addresses()))

    ServiceBrowser(resolver, "_wyoming._tcp.local.", handlers=[heard])
    until = time.monotonic() + 20
    while not any(port == WYOMING for port, _ in found):
        assert time.monotonic() < until, found
        time.sleep(0.1)
    addresses = next(addresses for port, addresses in found if port == WYOMING)
    assert addresses and "127.0.0.1" not in addresses, addresses
    resolver.close()
    print("mdns: found at", *addresses)


async def mcp():
    asked = []

    async def ask(_, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"answer": "确认"})

    for mode in ["auto", "legacy"]:
        async with httpx2.AsyncClient(headers=TOKEN, timeout=20) as http_client:
            transport = streamable_http_client(BASE + "/mcp", http_client=http_client)
            async with Client(transport, elicitation_callback=ask, mode=mode) as client:
                tools = await client.list_tools()
                assert [tool.name for tool in tools.tools] == ["home_command", "home_devices", "home_state"]
                result = (await client.call_tool("home_command", {"text": "打开大门锁"})).structured_content
                if mode == "legacy":
                    assert result["ask_user"], result
                    again = {"text": "确认", "conversation": result["conversation"]}
                    result = (await client.call_tool("home_command", again)).structured_content
                assert result["done"] == ["打开玄关大门锁"], result
                state = await client.call_tool("home_state", {"about": "书房吸顶灯"})
                assert "吸顶灯" in state.content[0].text, state
    assert len(asked) == 1, asked


wait_until_open()
http()
mdns()
for door in [pipe, wyoming, mcp]:
    asyncio.run(door())
    print(f"{door.__name__}: as its own client expects")
