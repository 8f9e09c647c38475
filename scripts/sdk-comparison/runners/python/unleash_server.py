import json
import logging
import time

from common import changing, compare, contexts, settings, watch
from UnleashClient import UnleashClient

logging.disable(logging.CRITICAL)
client = UnleashClient(
    url=f"{settings['base']}/unleash/api",
    app_name="shop",
    custom_headers={"Authorization": settings["serverKey"]},
    disable_metrics=True,
    disable_registration=True,
    experimental_mode={"type": "streaming"},
)
client.initialize_client()
while not client.is_initialized or len(client.feature_definitions()) == 0:
    time.sleep(0.01)

FIELDS = {"targetingKey": "userId", "sessionId": "sessionId", "remoteAddress": "remoteAddress"}


def evaluator_of(context):
    own = {FIELDS[name]: value for name, value in context.items() if name in FIELDS}
    own["properties"] = {name: value for name, value in context.items() if name not in FIELDS}

    def evaluate(flag):
        key = flag["key"]
        if flag["kind"] == "boolean":
            value = client.is_enabled(key, own, lambda *_: True)
            return value if value == client.is_enabled(key, own, lambda *_: False) else None
        variant = client.get_variant(key, own)
        if not variant["feature_enabled"] or variant["name"] == "disabled":
            return None
        payload = variant.get("payload")
        if payload is None:
            return variant["name"]
        return payload["value"] if payload["type"] == "string" else json.loads(payload["value"])

    return evaluate


compare(evaluator_of, local=True)
watch(lambda: evaluator_of(contexts[0])(changing))
