-- spans | where name == "POST /pay" | stats s=stddev(order.id), v=variance(order.id), q=quantile(order.id, 0.5), t=sum(order.id)
WITH if(count(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)) < 2, NULL, stddevSampStableOrNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL))) AS c19,
  if(count(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)) < 2, NULL, varSampStableOrNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL))) AS c20,
  arrayMap((t, q) -> multiIf(length(t.1) > 1000, q, empty(t.1), NULL, t.1[t.4] + if(t.3 > t.2[t.4] - 1, (t.1[least(t.4 + 1, length(t.1))] - t.1[t.4]) * (t.3 - t.2[t.4] + 1), 0)), [arrayMap(t -> (t.1, t.2, t.3, greatest(arrayFirstIndex(x -> x > t.3, t.2), 1)), [arrayMap(t -> (t.1, t.2, 0.5 * (t.2[-1] - 1)), [arrayMap(t -> (t.1, arrayCumSum(t.2)), [arraySort(arrayFilter(x -> NOT isNaN(x.1), groupArrayIf(1001)((ifNull(toFloat64(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)), 0.), least(toFloat64(weight), 4294967296.)), isNotNull(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL)))))])[1]])[1]])[1]], [quantileExactWeightedInterpolated(0.5)(reinterpretAsFloat64(bitShiftLeft(bitShiftRight(reinterpretAsUInt64(toFloat64(multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL))) + 4398046511104, 43), 43)), toUInt64(round(least(toFloat64(weight), 4294967296.) * 256)))])[1] AS c21,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull((multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL) * weight))], [sumOrNull((multiIf(mapContains(int_attributes, {p1:String}), toFloat64(int_attributes[{p1:String}]), mapContains(float_attributes, {p1:String}), float_attributes[{p1:String}], (resource[{p1:String}] != '' OR (position(empty_resource, concat('\0', {p1:String}, '\0')) > 0)), toFloat64OrNull(resource[{p1:String}]), NULL) * weight))])[1], 0.) AS c22
SELECT c19 AS r1,
  c20 AS r2,
  c21 AS r3,
  c22 AS r4
FROM spans
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND (name = {p6:String})
LIMIT 1001
-- p1 = "order.id"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "POST /pay"
