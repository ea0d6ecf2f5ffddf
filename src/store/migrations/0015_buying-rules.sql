CREATE TABLE "groups" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"max_purchases" integer NOT NULL,
	"budget_eur" integer,
	"created_at_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "rules" json DEFAULT '{}'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "group_id" text;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "autobuy_since_ms" bigint;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "end_reason" text;--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "ended_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "group_id" text;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "is_setback" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "groups_by_user" ON "groups" USING btree ("user_id","created_at_ms","id");--> statement-breakpoint
ALTER TABLE "filters" ADD CONSTRAINT "filters_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "filters_by_group" ON "filters" USING btree ("group_id") WHERE "filters"."group_id" is not null;--> statement-breakpoint
CREATE INDEX "purchases_by_group" ON "purchases" USING btree ("group_id","mode") WHERE "purchases"."group_id" is not null and "purchases"."state" not in ('failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "purchases_by_seller" ON "purchases" USING btree ("user_id","seller_id","day_key") WHERE "purchases"."seller_id" is not null and "purchases"."state" not in ('failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "purchases_setbacks" ON "purchases" USING btree ("filter_id","decided_at_ms") WHERE "purchases"."is_setback";--> statement-breakpoint
-- A decision to buy that was made before a group changed is not written any more.
CREATE TRIGGER "groups_made_version" AFTER INSERT ON "groups" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_owners"();--> statement-breakpoint
CREATE TRIGGER "groups_version" AFTER UPDATE ON "groups" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_owners"();--> statement-breakpoint
CREATE TRIGGER "groups_removed_version" AFTER DELETE ON "groups" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_owners"();
