-- spans | where root | stats n=count(), d=sum(duration)
WITH toUInt64(round(sum(weight))) AS c18,
  accurateCast(intDiv(sum((toInt128(duration) * toInt128(round(weight * 4294967296)))) + if(sum((toInt128(duration) * toInt128(round(weight * 4294967296)))) < 0, -2147483648, 2147483648), 4294967296), 'Int64') AS c19
SELECT c18 AS r1,
  c19 AS r2
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (parent_span_id = toFixedString('', 8))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
