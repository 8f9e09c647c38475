-- spans | match a{name == "POST /pay"} -> b{root} | stats n=count(), other=count(a.trace_id != b.trace_id), longest=max(a.duration)
WITH toUInt64(round(sum(c2))) AS c41,
  toUInt64(round(sumIf(c2, (c42 != c8)))) AS c43,
  maxOrNull(c44) AS c45
SELECT c41 AS r1,
  c43 AS r2,
  c45 AS r3
FROM (
  SELECT c2,
    c8,
    c17,
    c18
  FROM (
    SELECT weight AS c2,
      trace_id AS c8,
      link_trace_id AS c19,
      link_span_id AS c20
    FROM spans
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (parent_span_id = toFixedString('', 8))
  )
  ARRAY JOIN c19 AS c17,
    c20 AS c18
) AS l
INNER JOIN (
  SELECT trace_id AS c42,
    duration AS c44,
    trace_id AS c39,
    span_id AS c40
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (name = {p5:String})
) AS r ON c17 = c39
AND c18 = c40
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "POST /pay"
