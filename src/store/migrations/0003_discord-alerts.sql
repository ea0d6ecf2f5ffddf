CREATE TABLE "discord_webhooks" (
	"user_id" text PRIMARY KEY NOT NULL,
	"sealed_webhook" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "told_alerts" (
	"purchase_id" text NOT NULL,
	"state" text NOT NULL,
	"user_id" text NOT NULL,
	"told_at_ms" bigint NOT NULL,
	CONSTRAINT "told_alerts_purchase_id_state_pk" PRIMARY KEY("purchase_id","state")
);
--> statement-breakpoint
ALTER TABLE "discord_webhooks" ADD CONSTRAINT "discord_webhooks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "told_alerts" ADD CONSTRAINT "told_alerts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;