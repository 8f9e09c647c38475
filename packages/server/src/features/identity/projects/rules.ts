/** Finite, so that nobody can fill the memory that rulesets, tokens and lists live in. */
export const maxProjects = 100;
export const maxEnvironments = 50;
