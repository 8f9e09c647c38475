import logging
import sys

from common import FALLBACK, changing, compare, contexts, settings, watch
from growthbook import GrowthBook

logging.disable(logging.CRITICAL)
if "encrypted" in sys.argv[2:]:
    keys = {"client_key": settings["encryptedKey"], "decryption_key": settings["decryptionKey"]}
else:
    keys = {"client_key": settings["serverKey"]}
client = GrowthBook(api_host=f"{settings['base']}/growthbook", streaming=True, cache_ttl=3600, **keys)
client.load_features()


def evaluator_of(context):
    attributes = dict(context)
    attributes["id"] = attributes.pop("targetingKey")
    client.set_attributes(attributes)

    def evaluate(flag):
        value = client.get_feature_value(flag["key"], FALLBACK)
        return None if value == FALLBACK else value

    return evaluate


compare(evaluator_of, local=True)
watch(lambda: evaluator_of(contexts[0])(changing))
