/** Finds interface texts that are written in TSX instead of the string tables. */
import { parseSync } from 'vite'

/** Attributes whose text is shown or read out. */
const readAttributes = new Set([
  'alt',
  'aria-label',
  'aria-description',
  'label',
  'lead',
  'placeholder',
  'title',
  'hint',
])

type Node = { readonly type: string } & Record<string, unknown>

export function looseTexts(source: string): string[] {
  const { program, errors } = parseSync('source.tsx', source)
  if (errors.length > 0) throw new Error(errors[0]?.message)
  const found: string[] = []
  visit(program as unknown as Node, false, found)
  return found.filter((text) => /\p{Letter}/u.test(text)).map((text) => text.trim())
}

/** @param isShown whether a string at this place is shown or read out */
function visit(node: Node, isShown: boolean, found: string[]): void {
  const text = textOf(node)
  if (text !== undefined && (isShown || node.type === 'JSXText')) found.push(text)
  for (const child of Object.values(node).flat()) {
    if (isNode(child)) visit(child, isShownWithin(node, isShown), found)
  }
}

function textOf(node: Node): string | undefined {
  if (node.type === 'TemplateElement') return (node.value as { raw: string }).raw
  return typeof node.value === 'string' ? node.value : undefined
}

function isShownWithin(node: Node, isShown: boolean): boolean {
  switch (node.type) {
    case 'JSXElement':
    case 'JSXFragment':
      return true
    case 'JSXAttribute':
      return readAttributes.has(String((node.name as { name?: string }).name))
    // Arguments, operands and keys are not shown.
    case 'CallExpression':
    case 'BinaryExpression':
    case 'MemberExpression':
    case 'ArrowFunctionExpression':
    case 'JSXSpreadAttribute':
      return false
    default:
      return isShown
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
