/** The output of a command in this process. */
import { vi } from 'vitest'

/** Runs a command and returns its exit code and output. */
export async function outputOf(command: () => Promise<number>): Promise<{ code: number; text: string }> {
  const texts: string[] = []
  const write = (text: unknown) => texts.push(String(text)) > 0
  const spies = [process.stdout, process.stderr].map((to) => vi.spyOn(to, 'write').mockImplementation(write))
  try {
    const code = await command()
    return { code, text: texts.join('') }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
