-- Marks purchases as published in the given versions; one that has changed since stays pending.
-- $1: their ids, states and times of change (operations.ts).
update purchases p set is_told = true
from json_to_recordset($1::json) as r (id text, state text, updated_at_ms bigint)
where p.id = r.id and p.state = r.state and p.updated_at_ms = r.updated_at_ms and not p.is_told
