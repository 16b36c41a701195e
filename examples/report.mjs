// Prints an outcome: the result, the inner calls, the time, and how much the model's context was spared.

/** Characters of the tool results that the program read, less those of the one result the model reads. */
function sparedCharacters(outcome) {
  const read = outcome.calls.reduce(
    (sum, call) => sum + (JSON.stringify(call.result)?.length ?? 0),
    0,
  )
  return read - JSON.stringify(outcome.result).length
}

export function report(title, outcome) {
  if (outcome.status === 'failed') throw new Error(outcome.error.modelText)
  console.log(`\n${title}`)
  console.log(
    `  result          ${JSON.stringify(outcome.result, null, 2).replaceAll('\n', '\n  ')}`,
  )
  console.log(`  inner calls     ${outcome.toolCalls}`)
  console.log(`  wall time       ${outcome.stats.wallMs.toFixed(1)} ms`)
  console.log(`  kept out of the context: ${sparedCharacters(outcome)} characters`)
}
