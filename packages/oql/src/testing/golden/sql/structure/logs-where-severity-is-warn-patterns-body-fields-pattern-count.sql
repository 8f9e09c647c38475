-- logs | where severity == warn | patterns body | fields pattern, count
SELECT c19 AS r1,
  c20 AS r2
FROM (
  SELECT replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(c15, '(^|[:=(\[ ])(?:"[^"]*"|\'[^\']*\')', '\\1<*>'), '\\b(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]+|[0-9a-fA-F]{16,})\\b', '<*>'), '[0-9]+(?:[.:,_-][0-9]+)*', '<*>') AS c19,
    sum(c14) AS c20
  FROM (
    WITH if(shape = 0, cityHash64(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(body, '(^|[:=(\[ ])(?:"[^"]*"|\'[^\']*\')', '\\1<*>'), '\\b(?:[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]+|[0-9a-fA-F]{16,})\\b', '<*>'), '[0-9]+(?:[.:,_-][0-9]+)*', '<*>')), shape) AS c18
    SELECT any(body) AS c15,
      count() AS c14
    FROM logs
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND (severity >= 13 AND severity < 17)
    GROUP BY c18
  )
  GROUP BY c19
)
ORDER BY c20 DESC,
  c19
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
