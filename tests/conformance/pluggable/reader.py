"""A subscriber in process that reads what a host stored: used by vectors G161 and G163."""

from google.protobuf.message import Message

from kernel.dialects.pluggable.events import decoded
from kernel.dialects.pluggable.plugin import Plugin
from kernel.stored import HookFailure

plugin = Plugin("reader")


@plugin.transform("pre-model-call")
def read(payload: Message) -> None:
    """Behind each message that says how a hook_error was stored, in hexadecimal, one that says what it tells of."""
    for message in tuple(payload.messages):
        stored = decoded("hook_error", "1", bytes.fromhex(message.content[0].text.text))
        said = f"{stored.form} {stored.summary}" if isinstance(stored, HookFailure) else stored.summary
        payload.messages.add(id=f"{message.id} read").content.add().text.text = said


answer = plugin.answer
