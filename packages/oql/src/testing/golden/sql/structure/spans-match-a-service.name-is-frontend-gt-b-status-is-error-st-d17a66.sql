-- spans | match a{service.name == "frontend"} > b{status == error} | stats n=count() by b.name
WITH c75 AS c76,
  toUInt64(round(sum(c36))) AS c77
SELECT c76 AS r1,
  c77 AS r2
FROM (
  WITH groupArray(tuple(weight)) AS c34,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c18,
    arraySort(c18) AS c19,
    groupArray((service = {p1:String})) AS c22,
    arraySort((x, k) -> k, c22, c18) AS c23,
    groupArray((status = 'error')) AS c24,
    arraySort((x, k) -> k, c24, c18) AS c25,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c20,
    arraySort((x, k) -> k, c20, c18) AS c21,
    arrayMap(p -> indexOfAssumeSorted(c19, p), c21) AS c26,
    arrayMap((f, p) -> if(f AND p > 0 AND c23[p], p, 0), c25, c26) AS c27,
    arrayMap(p -> p > 0, c27) AS c28,
    groupArray(tuple(name)) AS c73,
    trace_id AS c31
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c34), c18) AS c35,
    arrayFilter((i, f) -> f, arrayEnumerate(c19), c28) AS c29,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c73), c18) AS c74
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (trace_id IN (
    SELECT trace_id AS c32
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND ((service = {p1:String}) OR (status = 'error'))
    GROUP BY c32
    HAVING ((countIf((service = {p1:String})) > 0) AND (countIf((status = 'error')) > 0))
  ))
  GROUP BY c31
)
ARRAY JOIN arrayMap(i -> c35[i], c29) AS c36,
  arrayMap(i -> c74[i], c29) AS c75
GROUP BY c76
ORDER BY c76
LIMIT 1001
-- p1 = "frontend"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
