-- spans | stats self=sum(self_time), n=count() by service.name, name | sort service.name, name
WITH c4 AS c18,
  c5 AS c19,
  ((toUnixTimestamp64Nano(c1) + toInt64(c3)) - toUnixTimestamp64Nano(c1) - toInt64(arrayReduce('intervalLengthSum', arrayMap(x -> least(greatest(x.1, toUnixTimestamp64Nano(c1)), (toUnixTimestamp64Nano(c1) + toInt64(c3))), c31), arrayMap(x -> greatest(least(x.2, (toUnixTimestamp64Nano(c1) + toInt64(c3))), toUnixTimestamp64Nano(c1)), c31)))) AS c20,
  accurateCast(intDiv(sum((toInt128(c20) * toInt128(round(c2 * 4294967296)))) + if(sum((toInt128(c20) * toInt128(round(c2 * 4294967296)))) < 0, -2147483648, 2147483648), 4294967296), 'Int64') AS c21,
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
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
) AS l
LEFT JOIN (
  SELECT groupArray(tuple(toUnixTimestamp64Nano(time), (toUnixTimestamp64Nano(time) + toInt64(duration)))) AS c31,
    trace_id AS c29,
    parent_span_id AS c30
  FROM spans
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND ((toStartOfFiveMinutes(time) >= toStartOfFiveMinutes((
    SELECT tuple(if(count() = 0, fromUnixTimestamp64Nano({p3:Int64}, 'UTC'), least(min(start), fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))), least(greatest(max(end), fromUnixTimestamp64Nano({p4:Int64}, 'UTC')), fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))) AS c25
    FROM trace_index
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (end >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND start < fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  ).1)) AND (toStartOfFiveMinutes(time) <= toStartOfFiveMinutes((
    SELECT tuple(if(count() = 0, fromUnixTimestamp64Nano({p3:Int64}, 'UTC'), least(min(start), fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))), least(greatest(max(end), fromUnixTimestamp64Nano({p4:Int64}, 'UTC')), fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))) AS c25
    FROM trace_index
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (end >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND start < fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  ).2)) AND (parent_span_id != toFixedString('', 8) AND parent_span_id != span_id))
  GROUP BY c29,
    c30
) AS r ON c8 = c29
AND c9 = c30
GROUP BY c18,
  c19
ORDER BY c18,
  c19
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "1795010400000000000"
-- p6 = "4294900000000000000"
