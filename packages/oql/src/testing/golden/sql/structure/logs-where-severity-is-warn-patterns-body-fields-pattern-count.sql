-- logs | where severity == warn | patterns body | fields pattern, count
SELECT c33 AS r1,
  c34 AS r2
FROM (
  SELECT c32 AS c33,
    sum(c15) AS c34
  FROM (
    WITH tuple(minForEach(c22) OVER (PARTITION BY c30), uniqUpToForEach(1)(c22) OVER (PARTITION BY c30)) AS c31
    SELECT arrayStringConcat(arrayMap((word, forms) -> if(forms = 1, word, if(startsWith(word, ' '), ' *', '*')), tupleElement(c31, 1), tupleElement(c31, 2))) AS c32,
      c15
    FROM (
      WITH tuple(uniqUpToForEach(4)(c23) OVER (PARTITION BY c28), maxForEach(c24) OVER (PARTITION BY c28)) AS c29
      SELECT c22,
        cityHash64(c28, arrayFilter((k, forms, value) -> forms BETWEEN 2 AND 4 AND NOT value, c23, tupleElement(c29, 1), tupleElement(c29, 2))) AS c30,
        c15
      FROM (
        WITH tuple(uniqUpToForEach(4)(c23) OVER (PARTITION BY c26), maxForEach(c24) OVER (PARTITION BY c26)) AS c27
        SELECT c22,
          cityHash64(c26, arrayFilter((k, forms, value) -> forms BETWEEN 2 AND 4 AND NOT value, c23, tupleElement(c27, 1), tupleElement(c27, 2))) AS c28,
          c23,
          c24,
          c15
        FROM (
          WITH uniqUpTo(100)(c23[1]) OVER (PARTITION BY length(c23)) AS c25
          SELECT c22,
            cityHash64(length(c23), if(c25 <= 100, c23[1], '')) AS c26,
            c23,
            c24,
            c15
          FROM (
            WITH any(body) AS c16,
              trimBoth(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(substring(c16, 1, 8192), '[^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*[0-9][^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*', '*'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '[ \\t\\r\\n]+', ' ')) AS c20,
              extractAll(if(lengthUTF8(c20) > 2000, concat(leftUTF8(c20, 2000), ' *'), c20), ' ?(?:(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\]))(?:(?:, ?| |:|@|/|_|-| - )(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\]))| ?\\( ?(?:(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\])))? ?\\))*|[\\pL\\pM_$.*#-]+|.)') AS c21,
              if(shape = 0, cityHash64(trimBoth(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(replaceRegexpAll(substring(body, 1, 8192), '[^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*[0-9][^\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]*', '*'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '(^|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])[A-Fa-f_.-]{16,}($|[\\x00-\\x2c/\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f])', '\\1*\\2'), '[ \\t\\r\\n]+', ' '))), shape) AS c19
            SELECT if(length(c21) > 200, arrayPushBack(arraySlice(c21, 1, 199), ' *'), c21) AS c22,
              arrayMap((w, b, a) -> if(match(w, '^ ?(?:(?:[A-Za-z]:|~)?[\\\\/][^\\s"\'<>,;()\\[\\]{}|]+|[\\w$-]+(?:\\.[\\w$-]+)+(?:[:/]\\*)?|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b|[<>~]?\\*(?: ?%| (?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)\\b)?|[\\w-]+(?:\\(\\*\\)|\\[\\*\\]))|\\*') OR (match(w, '^ ?[\\pL_]') AND ((b = '=' AND NOT match(a, '(?i)^ ?(?:msg|message|event)$')) OR match(b, '(?i)^ ?user$'))), '*', w), c22, arrayPopBack(arrayPushFront(c22, '')), arrayPopBack(arrayPopBack(arrayPushFront(arrayPushFront(c22, ''), '')))) AS c23,
              arrayMap(k -> k = '*', c23) AS c24,
              count() AS c15
            FROM logs
            WHERE workspace = {p1:UInt32}
            AND project = {p2:UInt32}
            AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
            AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
            AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
            AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
            AND (severity >= 13 AND severity < 17)
            GROUP BY c19
          )
        )
      )
    )
  )
  GROUP BY c33
)
ORDER BY c34 DESC,
  c33
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
