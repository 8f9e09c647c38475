-- spans | where name == "GET /checkout" and self_time >= 29ms and duration < 1m | stats n=count(), least=min(self_time)
WITH toUInt64(round(sum(c2))) AS c19,
  ((toUnixTimestamp64Nano(c1) + toInt64(c3)) - toUnixTimestamp64Nano(c1) - toInt64(arrayReduce('intervalLengthSum', arrayMap(x -> least(greatest(x.1, toUnixTimestamp64Nano(c1)), (toUnixTimestamp64Nano(c1) + toInt64(c3))), c31), arrayMap(x -> greatest(least(x.2, (toUnixTimestamp64Nano(c1) + toInt64(c3))), toUnixTimestamp64Nano(c1)), c31)))) AS c18,
  minOrNull(c18) AS c20
SELECT c19 AS r1,
  c20 AS r2
FROM (
  SELECT weight AS c2,
    time AS c1,
    duration AS c3,
    trace_id AS c8,
    span_id AS c9
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND ((name = {p6:String}) AND (duration < {p7:Int64}))
) AS l
LEFT JOIN (
  SELECT groupArray(tuple(toUnixTimestamp64Nano(time), (toUnixTimestamp64Nano(time) + toInt64(duration)))) AS c31,
    trace_id AS c29,
    parent_span_id AS c30
  FROM spans
  WHERE workspace = {p2:UInt32}
  AND project = {p3:UInt32}
  AND time >= fromUnixTimestamp64Nano({p8:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p9:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
  AND ((toStartOfFiveMinutes(time) >= toStartOfFiveMinutes((
    SELECT tuple(if(count() = 0, fromUnixTimestamp64Nano({p4:Int64}, 'UTC'), least(min(start), fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))), least(greatest(max(end), fromUnixTimestamp64Nano({p5:Int64}, 'UTC')), fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))) AS c22
    FROM trace_index
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND (trace_id IN (
      SELECT trace_id AS c8
      FROM spans
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND ((name = {p6:String}) AND (duration < {p7:Int64}))
    ))
  ).1)) AND (toStartOfFiveMinutes(time) <= toStartOfFiveMinutes((
    SELECT tuple(if(count() = 0, fromUnixTimestamp64Nano({p4:Int64}, 'UTC'), least(min(start), fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))), least(greatest(max(end), fromUnixTimestamp64Nano({p5:Int64}, 'UTC')), fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))) AS c22
    FROM trace_index
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND day >= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
    AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND (trace_id IN (
      SELECT trace_id AS c8
      FROM spans
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND ((name = {p6:String}) AND (duration < {p7:Int64}))
    ))
  ).2)) AND (trace_id IN (
    SELECT trace_id AS c8
    FROM spans
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    AND ((name = {p6:String}) AND (duration < {p7:Int64}))
  )) AND (parent_span_id != toFixedString('', 8) AND parent_span_id != span_id))
  GROUP BY c29,
    c30
) AS r ON c8 = c29
AND c9 = c30
WHERE (c18 >= {p1:Int64})
LIMIT 1001
-- p1 = "29000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "GET /checkout"
-- p7 = "60000000000"
-- p8 = "1795010400000000000"
-- p9 = "4294900000000000000"
