"""Calls tools in order with one of two clients, and prints what each answered, one JSON object a line.

Arguments: which client, the server's address, its token, the calls as JSON: [[tool, arguments], …].
In arguments, "@Username" is the id that runner_look gave to the line with "Username"; "#Username" is the number of the
control whose name holds "Username".
"""

import asyncio
import json
import re
import sys

kind, url, token, plan = sys.argv[1:5]
looked = ""
controls = []


def filled(value):
    if isinstance(value, dict):
        return {key: filled(part) for key, part in value.items()}
    if isinstance(value, list):
        return [filled(part) for part in value]
    if isinstance(value, str) and value.startswith("@"):
        line = next(line for line in looked.splitlines() if value[1:] in line)
        return re.search(r"@e\d+", line).group()
    if isinstance(value, str) and value.startswith("#"):
        return next(one["id"] for one in controls if value[1:] in one["name"])
    return value


async def use(names, call):
    global looked, controls
    print(json.dumps({"tools": await names()}))
    for tool, arguments in json.loads(plan):
        texts, data, is_error = await call(tool, filled(arguments))
        if tool == "runner_look":
            looked = texts[0]
        if tool == "get_app_window_controls_target_info":
            controls = json.loads(texts[0])
        told = {"tool": tool, "texts": texts, "data": data, "is_error": bool(is_error)}
        print(json.dumps(told))


def texts_of(content):
    return [item.text for item in content if item.type == "text"]


async def with_fastmcp():
    from fastmcp import Client
    from fastmcp.client.transports import StreamableHttpTransport

    transport = StreamableHttpTransport(url, headers={"Authorization": "Bearer " + token})
    async with Client(transport) as client:

        async def names():
            return [tool.name for tool in await client.list_tools()]

        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments, raise_on_error=False)
            return texts_of(result.content), result.data, result.is_error

        await use(names, call)


async def with_mcp():
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    headers = {"Authorization": "Bearer " + token}
    async with streamablehttp_client(url, headers=headers) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()

            async def names():
                return [tool.name for tool in (await session.list_tools()).tools]

            async def call(tool, arguments):
                result = await session.call_tool(tool, arguments)
                data = None if result.isError else result.structuredContent
                return texts_of(result.content), data, result.isError

            await use(names, call)


asyncio.run(with_fastmcp() if kind == "fastmcp" else with_mcp())
