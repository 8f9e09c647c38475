-- traces | where any(name == "POST /pay") | stats gap=p95(gap("GET /checkout", "SELECT orders")), none=max(gap("GET /checkout", "nope")), n=count() by service.name
WITH c12 AS c20,
  toInt64(round(arrayMap((t, q) -> multiIf(length(t.1) > 1000, q, empty(t.1), NULL, t.1[t.4] + if(t.3 > t.2[t.4] - 1, (t.1[least(t.4 + 1, length(t.1))] - t.1[t.4]) * (t.3 - t.2[t.4] + 1), 0)), [arrayMap(t -> (t.1, t.2, t.3, greatest(arrayFirstIndex(x -> x > t.3, t.2), 1)), [arrayMap(t -> (t.1, t.2, 0.95 * (t.2[-1] - 1)), [arrayMap(t -> (t.1, arrayCumSum(t.2)), [arraySort(arrayFilter(x -> NOT isNaN(x.1), groupArrayIf(1001)((ifNull(toFloat64(c21), 0.), least(toFloat64(c6), 4294967296.)), isNotNull(c21))))])[1]])[1]])[1]], [quantileExactWeightedInterpolated(0.95)(reinterpretAsFloat64(bitShiftLeft(bitShiftRight(reinterpretAsUInt64(toFloat64(c21)) + 4398046511104, 43), 43)), toUInt64(round(least(toFloat64(c6), 4294967296.) * 256)))])[1])) AS c22,
  maxOrNull(c23) AS c24,
  toUInt64(round(sum(c6))) AS c25
SELECT c20 AS r1,
  c22 AS r2,
  c24 AS r3,
  c25 AS r4
FROM (
  WITH trace_id AS c4,
    maxOrNull((name = {p8:String})) AS c19
  SELECT argMin(service, (parent_span_id != toFixedString('', 8), time)) AS c12,
    (toUnixTimestamp64Nano(minIfOrNull(time, (name = {p1:String}))) - toUnixTimestamp64Nano(minIfOrNull(time, (name = {p2:String})))) AS c21,
    min(weight) AS c6,
    (toUnixTimestamp64Nano(minIfOrNull(time, (name = {p3:String}))) - toUnixTimestamp64Nano(minIfOrNull(time, (name = {p2:String})))) AS c23
  FROM spans
  WHERE workspace = {p4:UInt32}
  AND project = {p5:UInt32}
  AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  GROUP BY c4
  HAVING ifNull(c19, false)
)
GROUP BY c20
ORDER BY c20
LIMIT 1001
-- p1 = "SELECT orders"
-- p2 = "GET /checkout"
-- p3 = "nope"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096800000000000"
-- p7 = "1795100400000000000"
-- p8 = "POST /pay"
