import { supportEmail } from "../support-email.ts";

/** The address of who operates this installation, in the flow of a sentence. */
export function SupportLink() {
  const email = supportEmail();
  return email === null ? <>l'adresse de support</> : <a href={`mailto:${email}`}>{email}</a>;
}
