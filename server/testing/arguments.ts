/** The arguments of a command. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Returns the values of the options. @throws if one is unknown, or has two values: the first one would be ignored */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  const { values, tokens } = parseArgs({ args: [...args], options, tokens: true })
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
  const single = given.filter((name) => options[name]?.type === 'string' && !options[name].multiple)
  const twice = single.find((name, index) => single.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`--${twice} is given twice`)
  return values
}
