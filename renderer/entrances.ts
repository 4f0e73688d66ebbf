/** Paths of sign-in, sign-up, password reset and bringing an account. Also reachable with a session, to add an account. */
export const entrances = {
  signIn: '/sign-in',
  create: '/create',
  reset: '/reset',
  moveIn: '/move-in',
  restore: '/restore',
} as const

export function isEntrance(path: string): boolean {
  return Object.values<string>(entrances).includes(path)
}

/** Where the server sends the browser of an app that signs in by OAuth. */
const authorizePath = /^\/authorize\/(\w+)$/

/** Returns the id of the request of an app; undefined for other paths. */
export function authorizedRequest(path: string): string | undefined {
  return authorizePath.exec(path)?.[1]
}
