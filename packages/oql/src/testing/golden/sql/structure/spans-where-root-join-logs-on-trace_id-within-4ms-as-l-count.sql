-- spans | where root | join logs on trace_id within 4ms as l | count
WITH toUInt64(round(sum(c2))) AS c23
SELECT c23 AS r1
FROM (
  SELECT weight AS c2,
    trace_id AS c8,
    time AS c1
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND (parent_span_id = toFixedString('', 8))
) AS l
INNER JOIN (
  SELECT trace_id AS c20,
    toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC')) AS c21
  FROM logs
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND ((trace_id != toFixedString('', 16)) AND (trace_id IN (
    SELECT trace_id AS c22
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND (parent_span_id = toFixedString('', 8))
  )))
) AS r ON c8 = c20
AND (abs(toUnixTimestamp64Nano(toDateTime64(c1, 9, 'UTC')) - c21) <= {p1:Int64})
LIMIT 1001
-- p1 = "4000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
