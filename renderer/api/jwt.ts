/** The claims of a JWT, without verification. */
export function claimsOf<Claims>(jwt: string): Claims {
  const [, payload = ''] = jwt.split('.')
  return JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
}
