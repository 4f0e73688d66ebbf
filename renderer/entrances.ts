/** Paths of sign-in, sign-up, password reset, bringing and recovering an account. Also reachable with a session, to add an account. */
export const entrances = {
  signIn: '/sign-in',
  create: '/create',
  reset: '/reset',
  moveIn: '/move-in',
  recover: '/recover',
  recoverData: '/recover/data',
  saved: '/saved',
  restore: '/restore',
} as const

export function isEntrance(path: string): boolean {
  return Object.values<string>(entrances).includes(path) || invitedCode(path) !== undefined
}

const invitedPath = /^\/create\/([\w-]+)$/

/** Returns the path of the sign-up with an invite code. */
export function invitationPath(code: string): string {
  return `${entrances.create}/${code}`
}

/** Returns the invite code in the path of an invitation; undefined for other paths. */
export function invitedCode(path: string): string | undefined {
  return invitedPath.exec(path)?.[1]
}

/** Where the server sends the browser of an app that signs in by OAuth. */
const authorizePath = /^\/authorize\/(\w+)$/

/** Returns the id of the request of an app; undefined for other paths. */
export function authorizedRequest(path: string): string | undefined {
  return authorizePath.exec(path)?.[1]
}
