"""Makes a fresh Home Assistant a home that can be spoken to: its owner, names, areas, what is exposed, a token.

    home_assistant.py customize HOUSE.yaml > CUSTOMIZE.yaml
    home_assistant.py prepare HOUSE.yaml URL TOKEN_FILE MQTT_PORT
"""

import asyncio
import json
import sys
import urllib.parse
import urllib.request

import aiohttp
import yaml


def post(url, form=None, document=None, token=None):
    data = urllib.parse.urlencode(form).encode() if form else json.dumps(document).encode()
    headers = {"content-type": "application/x-www-form-urlencoded" if form else "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, data, headers)
    # The first use of an integration installs what it needs.
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def onboard(url):
    """The steps that a browser does with a new owner; the answer is an access token that is good for half an hour."""
    client = f"{url}/"
    user = {"name": "owner", "username": "owner", "password": "trial-only", "client_id": client, "language": "zh-Hans"}
    code = post(f"{url}/api/onboarding/users", document=user)["auth_code"]
    return post(f"{url}/auth/token", form={"grant_type": "authorization_code", "code": code, "client_id": client})[
        "access_token"
    ]


def listen_to(url, token, port):
    """Adds the MQTT integration, by the steps that its owner does in a browser."""
    flows = f"{url}/api/config/config_entries/flow"
    flow = post(flows, document={"handler": "mqtt", "show_advanced_options": False}, token=token)
    done = post(f"{flows}/{flow['flow_id']}", document={"broker": "127.0.0.1", "port": port}, token=token)
    if done["type"] != "create_entry":
        sys.exit(f"the broker is not taken: {done}")


class Owner:
    """A connection of the owner's."""

    def __init__(self, socket):
        self.socket = socket
        self.last = 0

    async def ask(self, kind, **fields):
        self.last += 1
        await self.socket.send_json({"id": self.last, "type": kind, **fields})
        while True:
            answer = await self.socket.receive_json()
            if answer.get("id") == self.last and answer["type"] == "result":
                if not answer["success"]:
                    raise RuntimeError(f"{kind} {fields}: {answer['error']}")
                return answer["result"]


async def prepare(url, house, token_file, mqtt_port):
    token = onboard(url)
    listen_to(url, token, mqtt_port)
    async with aiohttp.ClientSession() as session:
        async with session.ws_connect(f"{url}/api/websocket", max_msg_size=0) as socket:
            await socket.receive_json()
            await socket.send_json({"type": "auth", "access_token": token})
            assert (await socket.receive_json())["type"] == "auth_ok"
            owner = Owner(socket)
            areas = {area["name"]: area["area_id"] for area in await owner.ask("config/area_registry/list")}
            for name, aliases in house["areas"].items():
                if name not in areas:
                    areas[name] = (await owner.ask("config/area_registry/create", name=name))["area_id"]
                await owner.ask("config/area_registry/update", area_id=areas[name], aliases=aliases)
            listed = {entry["entity_id"] for entry in await owner.ask("config/entity_registry/list")}
            for entity, given in house["entities"].items():
                if entity not in listed:
                    sys.exit(f"there is no {entity}")
                area = areas[given["area"]] if "area" in given else None
                aliases = given.get("aliases", [])
                fields = {"name": given["name"], "area_id": area, "aliases": aliases}
                await owner.ask("config/entity_registry/update", entity_id=entity, **fields)
            expose = "homeassistant/expose_entity"
            spoken = [*house["entities"], *house["configured"]]
            await owner.ask(expose, assistants=["conversation"], entity_ids=sorted(listed), should_expose=False)
            await owner.ask(expose, assistants=["conversation"], entity_ids=spoken, should_expose=True)
            lasting = await owner.ask("auth/long_lived_access_token", client_name="zhiju", lifespan=30)
    with open(token_file, "w", encoding="utf-8") as file:
        file.write(lasting + "\n")


with open(sys.argv[2], encoding="utf-8") as file:
    HOUSE = yaml.safe_load(file)
if sys.argv[1] == "customize":
    yaml.safe_dump(HOUSE["configured"], sys.stdout, allow_unicode=True)
else:
    asyncio.run(prepare(sys.argv[3], HOUSE, sys.argv[4], int(sys.argv[5])))
