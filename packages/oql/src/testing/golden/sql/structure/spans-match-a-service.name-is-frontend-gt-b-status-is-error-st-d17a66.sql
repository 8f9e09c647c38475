-- spans | match a{service.name == "frontend"} > b{status == error} | stats n=count() by b.name
WITH c74 AS c75,
  toUInt64(round(sum(c35))) AS c76
SELECT c75 AS r1,
  c76 AS r2
FROM (
  WITH groupArray(tuple(weight)) AS c33,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c17,
    arraySort(c17) AS c18,
    groupArray((service = {p1:String})) AS c21,
    arraySort((x, k) -> k, c21, c17) AS c22,
    groupArray((status = 'error')) AS c23,
    arraySort((x, k) -> k, c23, c17) AS c24,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c19,
    arraySort((x, k) -> k, c19, c17) AS c20,
    arrayMap(p -> indexOfAssumeSorted(c18, p), c20) AS c25,
    arrayMap((f, p) -> if(f AND p > 0 AND c22[p], p, 0), c24, c25) AS c26,
    arrayMap(p -> p > 0, c26) AS c27,
    groupArray(tuple(name)) AS c72,
    trace_id AS c30
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c33), c17) AS c34,
    arrayFilter((i, f) -> f, arrayEnumerate(c18), c27) AS c28,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c72), c17) AS c73
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c31
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND ((service = {p1:String}) OR (status = 'error'))
    GROUP BY c31
    HAVING ((countIf((service = {p1:String})) > 0) AND (countIf((status = 'error')) > 0))
  ))
  GROUP BY c30
)
ARRAY JOIN arrayMap(i -> c34[i], c28) AS c35,
  arrayMap(i -> c73[i], c28) AS c74
GROUP BY c75
ORDER BY c75
LIMIT 1001
-- p1 = "frontend"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
