export { demoCommand } from './command/demo-command.ts';
export { runDemo } from './run/run-demo.ts';
