/** Environment variables for signing and notarising. */
const signingVariable = /^(CSC|WIN_CSC|APPLE)_/

/**
 * Removes signing variables that are set but empty, as a CI workflow sets them from missing secrets. electron-builder
 * on macOS takes an empty CSC_LINK for a path to a certificate and fails.
 */
export function withoutEmptySigningVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || !signingVariable.test(name)),
  )
}
