-- spans | match a{service.name == "frontend"} >> b{status == error} | stats n=count() by b.name, a.name
WITH c75 AS c76,
  c79 AS c80,
  toUInt64(round(sum(c36))) AS c81
SELECT c76 AS r1,
  c80 AS r2,
  c81 AS r3
FROM (
  WITH groupArray(tuple(weight)) AS c34,
    groupArray(byteSwap(reinterpretAsUInt64(span_id))) AS c18,
    arraySort(c18) AS c19,
    groupArray(byteSwap(reinterpretAsUInt64(parent_span_id))) AS c20,
    arraySort((x, k) -> k, c20, c18) AS c21,
    arrayMap(p -> indexOfAssumeSorted(c19, p), c21) AS c26,
    groupArray((service = {p1:String})) AS c22,
    arraySort((x, k) -> k, c22, c18) AS c23,
    groupArray((status = 'error')) AS c24,
    arraySort((x, k) -> k, c24, c18) AS c25,
    arrayMap((n, f) -> if(f, n, 0), arrayFold((acc, k) -> (arrayMap((n, u) -> if(n > 0 OR u = 0, n, acc.1[u]), acc.1, acc.2), arrayMap(u -> if(u = 0, 0, acc.2[u]), acc.2)), range(toUInt64(ceil(log2(length(c26) + 1)))), (arrayMap(p -> if(p > 0 AND c23[p], p, 0), c26), c26)).1, c25) AS c27,
    arrayMap(p -> p > 0, c27) AS c28,
    groupArray(tuple(name)) AS c73,
    groupArray(tuple(name)) AS c77,
    trace_id AS c31
  SELECT arraySort((x, k) -> k, arrayMap(t -> t.1, c34), c18) AS c35,
    arrayFilter((i, f) -> f, arrayEnumerate(c19), c28) AS c29,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c73), c18) AS c74,
    arraySort((x, k) -> k, arrayMap(t -> t.1, c77), c18) AS c78,
    arrayMap(i -> c27[i], c29) AS c30
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
  arrayMap(i -> c74[i], c29) AS c75,
  arrayMap(i -> c78[i], c30) AS c79
GROUP BY c76,
  c80
ORDER BY c76,
  c80
LIMIT 1001
-- p1 = "frontend"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
