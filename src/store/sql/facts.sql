-- FACTS: everything that a decision about a person's money depends on, in one snapshot and without a lock.
-- $1: the questions (books.ts), one per person: a purchase, or the listing and filter of a wish.
-- A row for each question, as one document; its bytea values are in base64.
with asked as (
  select q.n, q.user_id, q.purchase_id, q.now_ms,
    coalesce(p.listing_id, q.listing_id) as listing_id, coalesce(p.filter_id, q.filter_id) as filter_id,
    coalesce(p.seller_id, q.seller_id) as seller_id, coalesce(p.seller_login, q.seller_login) as seller_login,
    coalesce(p.day_key, q.day_key) as day_key, coalesce(p.month_key, q.month_key) as month_key
  from json_to_recordset($1::json) as q (
    n int, user_id text, purchase_id text, listing_id bigint, seller_id bigint, seller_login text, filter_id text,
    day_key text, month_key text, now_ms bigint)
  left join purchases p on p.id = q.purchase_id and p.user_id = q.user_id
)
select json_build_object(
  'n', a.n,
  'personVersion', b.version,
  'switchVersion', (select version from switch_state),
  'isEveryoneStopped', exists (select 1 from stop_switches where is_on),
  -- A suspended person's account counts as stopped: nothing more is paid.
  'isAccountStopped', b.is_stopped or b.paused_until_ms > a.now_ms or u.is_suspended,
  'user', case when u.id is not null then json_build_object(
    'plan', u.plan, 'planEndsAtMs', u.plan_ends_at_ms, 'isSuspended', u.is_suspended) end,
  'wrappedDataKey', encode(u.wrapped_data_key, 'base64'),
  'saved', case when s.user_id is not null then json_build_object(
    'userId', s.user_id, 'paymentMethodId', s.payment_method_id,
    'sealedAddress', encode(s.sealed_address, 'base64'),
    'sealedPickupPoints', encode(s.sealed_pickup_points, 'base64'),
    'dayEur', s.day_eur, 'monthEur', s.month_eur, 'purchasesPerDay', s.purchases_per_day, 'isStopped', s.is_stopped,
    'mandateVersion', s.mandate_version, 'mandatedAtMs', s.mandated_at_ms) end,
  'account', case when m.user_id is not null then json_build_object(
    'userId', m.user_id, 'state', m.state, 'generation', m.generation,
    'sealedRefreshToken', encode(m.sealed_refresh_token, 'base64'),
    'sealedAccessToken', encode(m.sealed_access_token, 'base64'),
    'accessExpiresAtMs', m.access_expires_at_ms, 'connectedAtMs', m.connected_at_ms) end,
  'filter', case when f.id is not null then json_build_object(
    'isActive', f.is_active, 'isAutobuy', f.is_autobuy, 'isSimulation', f.is_simulation,
    'priceCapEur', f.price_cap_eur, 'maxPurchases', f.max_purchases, 'paymentMethodId', f.payment_method_id,
    'activatedAtMs', f.activated_at_ms) end,
  'day', (select json_build_object('heldCents', held_cents, 'capturedCents', captured_cents, 'extraCents', extra_cents,
    'purchases', purchases) from budgets where user_id = a.user_id and period = a.day_key),
  'month', (select json_build_object('heldCents', held_cents, 'capturedCents', captured_cents, 'extraCents', extra_cents,
    'purchases', purchases) from budgets where user_id = a.user_id and period = a.month_key),
  -- Those of the last ten minutes, since the person last switched the automatic purchases back on.
  'recentUnknownOutcomes', (select count(*) from purchase_attempts t where t.user_id = a.user_id
    and t.outcome = 'unknown' and t.ended_at_ms > greatest(a.now_ms - 600000, s.resumed_at_ms)),
  'own', (select json_agg(p order by p.epoch desc) from purchases p
    where p.user_id = a.user_id and p.listing_id = a.listing_id),
  'beingPaidCount', (select count(*) from purchases p where p.user_id = a.user_id
    and p.mode = 'live' and p.state in ('intent', 'submitting', 'unknown')),
  'awaitingCount', (select count(*) from purchases p where p.user_id = a.user_id
    and p.mode = 'live' and p.state = 'awaiting'),
  -- The predicate of the unique index purchases_one_live_per_listing.
  'rivalState', (select p.state from purchases p where p.listing_id = a.listing_id
    and p.mode = 'live' and p.source <> 'external' and p.state not in ('failed', 'cancelled')),
  -- By the seller's id; by the login where the person's entry has no id.
  'isSellerBlocked', exists (select 1 from blocked_sellers k where k.user_id = a.user_id
    and (k.seller_id = a.seller_id or (k.seller_id is null and k.folded_login = a.seller_login))),
  'filterPurchases', json_build_object(
    'live', (select count(*) from purchases p where p.filter_id = a.filter_id
      and p.mode = 'live' and p.state not in ('failed', 'cancelled')),
    'simulation', (select count(*) from purchases p where p.filter_id = a.filter_id
      and p.mode = 'simulation' and p.state not in ('failed', 'cancelled')))
) as facts
from asked a
left join buying_accounts b on b.user_id = a.user_id
left join users u on u.id = a.user_id
left join settings s on s.user_id = a.user_id
left join marketplace_accounts m on m.user_id = a.user_id
left join filters f on f.id = a.filter_id and f.user_id = a.user_id
