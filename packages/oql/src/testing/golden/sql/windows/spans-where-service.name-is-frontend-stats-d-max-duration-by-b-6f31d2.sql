-- spans | where service.name == "frontend" | stats d=max(duration) by bucket(10m) | extend m = avg(d) over 3 buckets, h = max(d) over 20m, before = lag(d), two = lag(d, 2), more = difference(d), so_far = running_sum(d)
WITH sum(toInt128(ifNull(c18, 0))) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 600000000000) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c29,
  accurateCast(c29, 'Int64') AS c30
SELECT c17 AS r1,
  c18 AS r2,
  c20 AS r3,
  c22 AS r4,
  c24 AS r5,
  c26 AS r6,
  c28 AS r7,
  c30 AS r8
FROM (
  WITH anyOrNull(c18) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 600000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c27
  SELECT c17,
    c18,
    c20,
    c22,
    c24,
    c26,
    accurateCast((toInt128(c18) - toInt128(c27)), 'Nullable(Int64)') AS c28
  FROM (
    WITH anyOrNull(c18) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 600000000000) RANGE BETWEEN 2 PRECEDING AND 2 PRECEDING) AS c25
    SELECT c17,
      c18,
      c20,
      c22,
      c24,
      c25 AS c26
    FROM (
      WITH anyOrNull(c18) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 600000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c23
      SELECT c17,
        c18,
        c20,
        c22,
        c23 AS c24
      FROM (
        WITH maxOrNull(c18) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 600000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c21
        SELECT c17,
          c18,
          c20,
          c21 AS c22
        FROM (
          WITH avgOrNull(toInt128(c18)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c17, 9, 'UTC')), 600000000000) RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS c19
          SELECT c17,
            c18,
            toInt64(round(c19)) AS c20
          FROM (
            SELECT toStartOfInterval(time, toIntervalSecond(600)) AS c17,
              maxOrNull(duration) AS c18
            FROM spans
            WHERE workspace = {p1:UInt32}
            AND project = {p2:UInt32}
            AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
            AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
            AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
            AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
            AND (service = {p5:String})
            GROUP BY c17
          )
        )
      )
    )
  )
)
ORDER BY c17
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "frontend"
