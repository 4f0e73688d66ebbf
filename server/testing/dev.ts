/** `desktop-pds dev`. @returns the exit code */
export async function runDev(_args: readonly string[]): Promise<number> {
  process.stderr.write('The network for tests is not part of this build.\n')
  return 1
}
