"""An agent of the studio: reads calls as JSON lines, and prints what each came to. Arguments: address, token."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

url, token = sys.argv[1:3]


async def main():
    headers = {"Authorization": f"Bearer {token}"}
    async with streamablehttp_client(url, headers=headers) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            while line := await asyncio.to_thread(sys.stdin.readline):
                call = json.loads(line)
                result = await session.call_tool(call["name"], call["args"])
                text = "\n".join(part.text for part in result.content if part.type == "text")
                print(json.dumps({"error": bool(getattr(result, "isError", False)), "text": text}), flush=True)


asyncio.run(main())
