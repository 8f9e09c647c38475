export { renderTemplate, type TemplateData, templateIssue } from './templates.ts';
