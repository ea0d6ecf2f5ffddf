-- What was booked stays booked: a wrong statement, of this product or by hand, is refused by the tables themselves.
CREATE FUNCTION "refuse_rewriting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER "ledger_append_only" BEFORE UPDATE OR DELETE ON "ledger"
  FOR EACH ROW EXECUTE FUNCTION "refuse_rewriting"();--> statement-breakpoint
CREATE TRIGGER "ledger_no_truncate" BEFORE TRUNCATE ON "ledger"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();--> statement-breakpoint
-- An attempt is told once: what stands in a column stays, what is empty may be filled. It goes with its person alone,
-- whose erasure names them to the transaction (purchases-erasure.ts).
CREATE FUNCTION "keep_attempt"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD."user_id" = current_setting('synapse.erased_user', true) THEN
      RETURN OLD;
    END IF;
  ELSIF NEW."purchase_id" = OLD."purchase_id" AND NEW."n" = OLD."n" AND NEW."user_id" = OLD."user_id"
    AND NEW."started_at_ms" = OLD."started_at_ms"
    AND (OLD."digest" IS NULL OR NEW."digest" IS NOT DISTINCT FROM OLD."digest")
    AND (OLD."sent_at_ms" IS NULL OR NEW."sent_at_ms" IS NOT DISTINCT FROM OLD."sent_at_ms")
    AND (OLD."deadline_ms" IS NULL OR NEW."deadline_ms" IS NOT DISTINCT FROM OLD."deadline_ms")
    AND (OLD."ended_at_ms" IS NULL OR NEW."ended_at_ms" IS NOT DISTINCT FROM OLD."ended_at_ms")
    AND (OLD."outcome" IS NULL OR NEW."outcome" IS NOT DISTINCT FROM OLD."outcome")
    AND (OLD."evidence" IS NULL OR NEW."evidence"::text IS NOT DISTINCT FROM OLD."evidence"::text)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;--> statement-breakpoint
CREATE TRIGGER "purchase_attempts_append_only" BEFORE UPDATE OR DELETE ON "purchase_attempts"
  FOR EACH ROW EXECUTE FUNCTION "keep_attempt"();--> statement-breakpoint
CREATE TRIGGER "purchase_attempts_no_truncate" BEFORE TRUNCATE ON "purchase_attempts"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_rewriting"();
