-- spans | where service.name == "checkout" | extend ms = duration / 1ms | stats v=variance_pop(ms)
WITH (duration / {p1:Int64}) AS c18,
  arrayMap(q -> if(q.1 > 0, q.2 / q.1, NULL), [arrayMap(q -> (q.4, arraySum(k -> reinterpretAsFloat64(k) * q.1[k] * (q.3[k] + pow(q.2[k] - q.5, 2)), mapKeys(q.1))), [arrayMap(q -> (q.1, q.2, q.3, q.4, arraySum(k -> reinterpretAsFloat64(k) * q.1[k] * q.2[k], mapKeys(q.1)) / q.4), [arrayMap(q -> (q.1, q.2, q.3, arraySum(k -> reinterpretAsFloat64(k) * q.1[k], mapKeys(q.1))), [(countMapIf(map(reinterpretAsUInt64(toFloat64(weight)), toFloat64(ifNull(toFloat64(c18), 0.))), isNotNull(c18)), avgMapIf(map(reinterpretAsUInt64(toFloat64(weight)), toFloat64(ifNull(toFloat64(c18), 0.))), isNotNull(c18)), varPopStableMapIf(map(reinterpretAsUInt64(toFloat64(weight)), toFloat64(ifNull(toFloat64(c18), 0.))), isNotNull(c18)))])[1]])[1]])[1]])[1] AS c19
SELECT c19 AS r1
FROM spans
WHERE workspace = {p2:UInt32}
AND project = {p3:UInt32}
AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
AND (service = {p6:String})
LIMIT 1001
-- p1 = "1000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
-- p6 = "checkout"
