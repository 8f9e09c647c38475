-- spans | stats self=sum(self_time), n=count() by service.name, name | sort service.name, name
WITH c4 AS c18,
  c5 AS c19,
  if((toUnixTimestamp64Nano(c1) + toInt64(c3)) > {p1:Int64}, NULL, (toUnixTimestamp64Nano(c1) + toInt64(c3)) - toUnixTimestamp64Nano(c1) - toInt64(arrayReduce('intervalLengthSum', arrayMap(x -> least(greatest(x.1, toUnixTimestamp64Nano(c1)), (toUnixTimestamp64Nano(c1) + toInt64(c3))), c27), arrayMap(x -> greatest(least(x.2, (toUnixTimestamp64Nano(c1) + toInt64(c3))), toUnixTimestamp64Nano(c1)), c27)))) AS c20,
  accurateCast(ifNull(intDiv(sum((toInt128(c20) * toInt128(round(c2 * 4294967296)))) + if(sum((toInt128(c20) * toInt128(round(c2 * 4294967296)))) < 0, -2147483648, 2147483648), 4294967296), 0), 'Int64') AS c21,
  toUInt64(round(sum(c2))) AS c22
SELECT c18 AS r1,
  c19 AS r2,
  c21 AS r3,
  c22 AS r4
FROM (
  SELECT service AS c4,
    name AS c5,
    time AS c1,
    duration AS c3,
    weight AS c2,
    trace_id AS c8,
    span_id AS c9
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
) AS l
LEFT JOIN (
  SELECT groupArray(tuple(toUnixTimestamp64Nano(time), (toUnixTimestamp64Nano(time) + toInt64(duration)))) AS c27,
    trace_id AS c25,
    parent_span_id AS c26
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  AND (parent_span_id != toFixedString('', 8) AND parent_span_id != span_id)
  GROUP BY c25,
    c26
) AS r ON c8 = c25
AND c9 = c26
GROUP BY c18,
  c19
ORDER BY c18,
  c19
LIMIT 1001
-- p1 = "1795101000000000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "1795096200000000000"
