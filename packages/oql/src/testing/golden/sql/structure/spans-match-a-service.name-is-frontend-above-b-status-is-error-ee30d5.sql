-- spans | match a{service.name == "frontend"} >> b{status == error} | stats n=count() by b.name, a.name
WITH c74 AS c75,
  c78 AS c79,
  toUInt64(round(sum(c35))) AS c80
SELECT c75 AS r1,
  c79 AS r2,
  c80 AS r3
FROM (
  WITH groupArray(tuple(weight)) AS c33,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c17,
    arraySort(c17) AS c18,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c19,
    arraySort((x, k) -> k, c19, c17) AS c20,
    arrayMap(p -> indexOfAssumeSorted(c18, p), c20) AS c25,
    groupArray((service = {p1:String})) AS c21,
    arraySort((x, k) -> k, c21, c17) AS c22,
    groupArray((status = 'error')) AS c23,
    arraySort((x, k) -> k, c23, c17) AS c24,
    arrayMap((n, f) -> if(f, n, 0), arrayFold((acc, k) -> (arrayMap((n, u) -> if(n > 0 OR u = 0, n, acc.1[u]), acc.1, acc.2), arrayMap(u -> if(u = 0, 0, acc.2[u]), acc.2)), range(toUInt64(ceil(log2(length(c25) + 1)))), (arrayMap(p -> if(p > 0 AND c22[p], p, 0), c25), c25)).1, c24) AS c26,
    arrayMap(p -> p > 0, c26) AS c27,
    groupArray(tuple(name)) AS c72,
    groupArray(tuple(name)) AS c76,
    trace_id AS c30
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c33), c17) AS c34,
    arrayFilter((i, f) -> f, arrayEnumerate(c18), c27) AS c28,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c72), c17) AS c73,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c76), c17) AS c77,
    arrayMap(i -> c26[i], c28) AS c29
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
  arrayMap(i -> c73[i], c28) AS c74,
  arrayMap(i -> c77[i], c29) AS c78
GROUP BY c75,
  c79
ORDER BY c75,
  c79
LIMIT 1001
-- p1 = "frontend"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
