import ldclient
from common import FALLBACK, changing, compare, contexts, settings, watch
from ldclient import Context
from ldclient.config import Config

base = settings["base"]
config = Config(settings["serverKey"], base_uri=base, stream_uri=base, events_uri=base, send_events=False)
client = ldclient.LDClient(config, start_wait=20)


def evaluator_of(context):
    attributes = dict(context)
    key = attributes.pop("targetingKey")
    organization = attributes.pop("organization", None)
    user = {**attributes, "key": key}
    if organization is None:
        own = Context.from_dict({**user, "kind": "user"})
    else:
        own = Context.from_dict({"kind": "multi", "user": user, "organization": organization})

    def evaluate(flag):
        value = client.variation(flag["key"], own, FALLBACK)
        return None if value == FALLBACK else value

    return evaluate


compare(evaluator_of, local=True)
watch(lambda: evaluator_of(contexts[0])(changing))
