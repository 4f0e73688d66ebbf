/** The path of the screen that shows a person. */
export function personPath(did: string): string {
  return `/people/${did}`
}
