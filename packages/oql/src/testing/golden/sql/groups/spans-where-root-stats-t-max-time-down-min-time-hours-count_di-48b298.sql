-- spans | where root | stats t=max(time) - min(time), hours=count_distinct(hour(time))
WITH arrayMap(w -> if(isNull(w), NULL, accurateCast(assumeNotNull(w), 'Int64')), [(toInt128(toUnixTimestamp64Nano(toDateTime64(maxOrNull(time), 9, 'UTC'))) - toInt128(toUnixTimestamp64Nano(toDateTime64(minOrNull(time), 9, 'UTC'))))])[1] AS c18,
  uniqExact(toHour(time, 'UTC')) AS c19
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
