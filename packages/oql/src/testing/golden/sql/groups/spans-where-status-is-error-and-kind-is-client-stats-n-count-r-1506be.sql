-- spans | where status == error and kind == client | stats n=count(), raw=sum(weight), rows=count_distinct(span_id)
WITH toUInt64(round(sum(weight))) AS c18,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull((weight * weight))], [sumOrNull((weight * weight))])[1], 0.) AS c19,
  uniqExact(span_id) AS c20
SELECT c18 AS r1,
  c19 AS r2,
  c20 AS r3
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((status = 'error') AND (kind = 'client'))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
