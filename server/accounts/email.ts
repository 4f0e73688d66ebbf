/** Email addresses: how they are compared, and what passes for one. */

export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Whether mail could be sent to it: one `@`, a domain with a dot or `localhost`, nothing that could break a header. */
export function isEmail(email: string): boolean {
  return email.length <= 254 && /^[^\s@<>()[\]\\,;:"]{1,64}@(?:[a-z0-9-]+\.)*[a-z0-9-]+$/i.test(email)
}

/** The account, when it has an address that mail can be sent to. */
export function withEmail<A extends { readonly email: string | null }>(
  account: A,
): (A & { readonly email: string }) | undefined {
  const { email } = account
  return email === null ? undefined : { ...account, email }
}
