-- ALERT-STATISTICS: alerts waiting and those of the journal's week, and lost destinations, by channel.
select c.channel, coalesce(o.waiting, 0)::int as waiting, o.oldest_due_ms::text, coalesce(o.sent, 0)::int as sent,
  coalesce(o.failed, 0)::int as failed, coalesce(d.lost, 0)::int as lost
from (select channel from alert_outbox union select channel from alert_destinations) c
left join (
  select channel, count(*) filter (where result = 'waiting') as waiting,
    min(due_at_ms) filter (where result = 'waiting') as oldest_due_ms,
    count(*) filter (where result = 'sent') as sent,
    count(*) filter (where result in ('refused', 'abandoned', 'uncertain')) as failed
  from alert_outbox group by channel
) o on o.channel = c.channel
left join (
  select channel, count(*) filter (where state = 'lost') as lost from alert_destinations group by channel
) d on d.channel = c.channel
order by c.channel
