"""Compatible APIs for clients of other services, such as editors' plug-ins.

They are off unless ``Settings.compat`` says otherwise.
"""

from paraphrast.web.api.compat import language_tool, openai

ROUTERS = (openai.router, language_tool.router)
