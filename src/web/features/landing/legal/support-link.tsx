import { useSupportEmail } from "../support-email.ts";

/** The address of who operates this installation, in the flow of a sentence. */
export function SupportLink() {
  const email = useSupportEmail();
  return email === null ? <>l'adresse de support</> : <a href={`mailto:${email}`}>{email}</a>;
}
