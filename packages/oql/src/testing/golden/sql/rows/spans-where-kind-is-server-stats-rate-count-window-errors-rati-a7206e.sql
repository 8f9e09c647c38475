-- spans | where kind == server | stats rate=count() / window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by service.name
WITH service AS c18,
  (toUInt64(round(sum(weight))) / 3600) AS c19,
  (sumIf(weight, (status = 'error')) / nullIf(sum(weight), 0)) AS c20,
  toInt64(round(arrayMap((t, q) -> multiIf(length(t.1) > 1000, q, empty(t.1), NULL, t.1[t.4] + if(t.3 > t.2[t.4] - 1, (t.1[least(t.4 + 1, length(t.1))] - t.1[t.4]) * (t.3 - t.2[t.4] + 1), 0)), [arrayMap(t -> (t.1, t.2, t.3, greatest(arrayFirstIndex(x -> x > t.3, t.2), 1)), [arrayMap(t -> (t.1, t.2, 0.5 * (t.2[-1] - 1)), [arrayMap(t -> (t.1, arrayCumSum(t.2)), [arraySort(arrayFilter(x -> NOT isNaN(x.1), groupArray(1001)((toFloat64(duration), least(toFloat64(weight), 4294967296.)))))])[1]])[1]])[1]], [quantileExactWeightedInterpolated(0.5)(reinterpretAsFloat64(bitShiftLeft(bitShiftRight(reinterpretAsUInt64(toFloat64(duration)) + 4398046511104, 43), 43)), toUInt64(round(least(toFloat64(weight), 4294967296.) * 256)))])[1])) AS c21,
  toInt64(round(arrayMap((t, q) -> multiIf(length(t.1) > 1000, q, empty(t.1), NULL, t.1[t.4] + if(t.3 > t.2[t.4] - 1, (t.1[least(t.4 + 1, length(t.1))] - t.1[t.4]) * (t.3 - t.2[t.4] + 1), 0)), [arrayMap(t -> (t.1, t.2, t.3, greatest(arrayFirstIndex(x -> x > t.3, t.2), 1)), [arrayMap(t -> (t.1, t.2, 0.99 * (t.2[-1] - 1)), [arrayMap(t -> (t.1, arrayCumSum(t.2)), [arraySort(arrayFilter(x -> NOT isNaN(x.1), groupArray(1001)((toFloat64(duration), least(toFloat64(weight), 4294967296.)))))])[1]])[1]])[1]], [quantileExactWeightedInterpolated(0.99)(reinterpretAsFloat64(bitShiftLeft(bitShiftRight(reinterpretAsUInt64(toFloat64(duration)) + 4398046511104, 43), 43)), toUInt64(round(least(toFloat64(weight), 4294967296.) * 256)))])[1])) AS c22
SELECT c18 AS r1,
  c19 AS r2,
  c20 AS r3,
  c21 AS r4,
  c22 AS r5
FROM spans
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND (kind = 'server')
GROUP BY c18
ORDER BY c18
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
