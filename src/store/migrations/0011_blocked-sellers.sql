CREATE TABLE "blocked_sellers" (
	"user_id" text NOT NULL,
	"seller_id" bigint,
	"login" text NOT NULL,
	"folded_login" text NOT NULL,
	"since_ms" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "seller_id" bigint;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "seller_login" text;--> statement-breakpoint
ALTER TABLE "blocked_sellers" ADD CONSTRAINT "blocked_sellers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "blocked_sellers_by_id" ON "blocked_sellers" USING btree ("user_id","seller_id") WHERE "blocked_sellers"."seller_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "blocked_sellers_by_login" ON "blocked_sellers" USING btree ("user_id","folded_login") WHERE "blocked_sellers"."seller_id" is null;--> statement-breakpoint
-- A decision to buy that was made before the block is not written any more.
CREATE TRIGGER "blocked_sellers_made_version" AFTER INSERT ON "blocked_sellers" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_owners"();--> statement-breakpoint
CREATE TRIGGER "blocked_sellers_removed_version" AFTER DELETE ON "blocked_sellers" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_owners"();
