"""Does steps with the Python SDK, completes the path of a flow, runs it and reads what its failure links to. Prints it as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ResourceTemplateReference


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--tools", "lean"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        started = await session.initialize()
        assert started.capabilities.completions is not None
        steps = [{"launch": {"app": "com.example.notes", "clear": True}}, {"assert visible": "Welcome to Notes"}]
        done = await session.call_tool("runner_do", {"steps": steps})
        flow = ResourceTemplateReference(type="ref/resource", uri="runner://flows/{path}")
        completed = await session.complete(flow, {"name": "path", "value": "fai"})
        run = await session.call_tool("runner_run_flow", {"path": completed.completion.values[0]})
        contents = {}
        for link in (item for item in run.content if item.type == "resource_link"):
            (found,) = (await session.read_resource(link.uri)).contents
            assert found.mimeType == link.mimeType, link
            contents[link.name] = f"{found.mimeType} {'blob' if hasattr(found, 'blob') else 'text'}"
        told = {
            "is_error": bool(done.isError),
            "text": done.content[0].text,
            "completed": completed.completion.values,
            "read": contents,
        }
        print(json.dumps(told))


asyncio.run(main())
