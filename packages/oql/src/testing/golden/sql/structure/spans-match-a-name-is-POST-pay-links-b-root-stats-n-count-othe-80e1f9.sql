-- spans | match a{name == "POST /pay"} -> b{root} | stats n=count(), other=count(a.trace_id != b.trace_id), longest=max(a.duration)
WITH toUInt64(round(sum(c2))) AS c43,
  toUInt64(round(sumIf(c2, (c44 != c8)))) AS c45,
  maxOrNull(c46) AS c47
SELECT c43 AS r1,
  c45 AS r2,
  c47 AS r3
FROM (
  SELECT c2,
    c8,
    c18,
    c19
  FROM (
    SELECT weight AS c2,
      trace_id AS c8,
      link_trace_id AS c20,
      link_span_id AS c21
    FROM spans
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (parent_span_id = toFixedString('', 8))
  )
  ARRAY JOIN c20 AS c18,
    c21 AS c19
) AS l
INNER JOIN (
  SELECT trace_id AS c44,
    duration AS c46,
    trace_id AS c41,
    span_id AS c42
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (name = {p5:String})
) AS r ON c18 = c41
AND c19 = c42
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "POST /pay"
