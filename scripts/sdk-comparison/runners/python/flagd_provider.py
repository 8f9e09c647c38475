import logging
import sys

from common import changing, compare, contexts, settings, watch
from openfeature import api
from openfeature.contrib.provider.flagd import FlagdProvider
from openfeature.contrib.provider.flagd.config import ResolverType
from openfeature.evaluation_context import EvaluationContext

logging.disable(logging.CRITICAL)
local = sys.argv[2] == "in-process"
provider = FlagdProvider(
    host="127.0.0.1",
    port=settings["flagdSyncPort" if local else "flagdPort"],
    selector=settings["serverKey"],
    resolver_type=ResolverType.IN_PROCESS if local else ResolverType.RPC,
    deadline_ms=20_000,
)
api.set_provider_and_wait(provider) if hasattr(api, "set_provider_and_wait") else api.set_provider(provider)
client = api.get_client()


def evaluator_of(context):
    attributes = {name: value for name, value in context.items() if name != "targetingKey"}
    own = EvaluationContext(context["targetingKey"], attributes)

    def evaluate(flag):
        key, kind = flag["key"], flag["kind"]
        if kind == "boolean":
            details = client.get_boolean_details(key, False, own)
        elif kind == "string":
            details = client.get_string_details(key, "", own)
        elif kind == "number":
            details = client.get_float_details(key, 0.0, own)
        else:
            details = client.get_object_details(key, {}, own)
        return None if details.error_code is not None or not details.variant else details.value

    return evaluate


# In its process, it hashes the CBOR form of units.
compare(evaluator_of, local=local, most=None if local else settings["fewer"] // 4, divides=not local)
watch(lambda: evaluator_of(contexts[0])(changing))
